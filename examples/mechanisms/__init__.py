"""Mechanisms of the literature with answers from elsewhere, one file each, as systems of `gough.multibody`."""

from mechanisms.bricard_loop import bricard as bricard
from mechanisms.parallelogram import four_bar as four_bar
from mechanisms.squeezer import andrews as andrews
from mechanisms.squeezer import andrews_angles as andrews_angles
from mechanisms.top import spinning_top as spinning_top
