"""Solids drawn in batches: made anew when their number changes, and never drawn with buffers that are gone."""

import numpy as np
from tests.viewer.conftest import until

import gough
from gough.viewer.batch import MADE, Batch

LATE = """(() => {
  const Channel = MessageChannel;
  window.MessageChannel = function () {
    const channel = new Channel(), post = channel.port2.postMessage.bind(channel.port2);
    channel.port2.postMessage = (...words) => setTimeout(() => post(...words), 40);
    return channel;
  };
})();"""
"""Lets React put off by some frames what it does after it has changed the scene: it may, though it seldom does."""


def aside(machine, x):
    return gough.displaced(machine, gough.pose([x, 0, 0])).as_matrix()


def test_no_frame_is_drawn_without_its_buffers_however_late_the_page_tidies_up(at_home, open_window):
    window = open_window(script=LATE)
    for name in ("sinatra2009", "servo", "hexel-head", "rotopod", "hexel"):
        at_home.loop.post("test", lambda name=name: at_home.open(name))
        assert until(lambda name=name: at_home.parts.files.source == name)
        for k in range(25):
            at_home.ask("test", lambda mover, k=k: mover.to(aside(mover.machine, 1e-4 * (k % 2))))
            window.page.wait_for_timeout(20)
    assert window.complaints == []
    window.page.close()


def test_another_number_of_solids_is_another_node(view):
    from gough.plot._shapes import Bar

    first, *rest = (Bar(np.zeros(3), np.array([0.0, 0.0, z]), 0.01) for z in (0.1, 0.2, 0.3))
    batch = Batch(view.server.scene, "/some bars", "#123456")
    batch.show([first])
    made = next(MADE) - 1
    batch.show([rest[0]])
    assert next(MADE) == made + 2
    one = view.server.scene.get_handle_by_name(f"/some bars {made}")
    np.testing.assert_allclose(one.batched_scales[0], [0.01, 0.01, 0.2], rtol=1e-6)
    batch.show(rest)
    assert view.server.scene.get_handle_by_name(f"/some bars {made}") is None
    assert view.server.scene.get_handle_by_name(f"/some bars {made + 3}").batched_positions.shape == (2, 3)
    batch.remove()
    assert view.server.scene.get_handle_by_name(f"/some bars {made + 3}") is None
