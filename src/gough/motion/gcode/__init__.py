"""Part programs in G-code: read into moves, moves into paths of the machine, motions out as programs of its joints."""
