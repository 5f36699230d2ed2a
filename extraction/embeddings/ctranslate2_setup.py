"""ctranslate2, told before it loads that it may use AVX-512 where the processor has all of it.

It keeps to AVX2 by itself, since the first processors with wider registers slowed down for them, and decides while it
loads. Measured on one that came later (Xeon at 2.5 GHz): 5.0 instead of 6.6 ms of processor time for a message of 40
pieces. An owner's own choice (`CT2_FORCE_CPU_ISA`) stands.
"""

import os

import numpy as np

if {"X86_V4", "AVX512_SKX"} & set(np.show_config(mode="dicts")["SIMD Extensions"]["found"]):
    os.environ.setdefault("CT2_FORCE_CPU_ISA", "AVX512")

import ctranslate2

__all__ = ["ctranslate2"]
