"""Trainers of the shipped files of weights; not part of the wheel."""
