"""numpy's old names of Python's own types, where they are missing.

Programs of the SDK's day write ``np.bool``; numpy 1.24 removed these names, so that they would stop at once.
"""

import warnings

import numpy

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for _name, _type in {"bool": bool, "int": int, "float": float, "complex": complex, "object": object,
                         "str": str}.items():
        if not hasattr(numpy, _name):
            setattr(numpy, _name, _type)
