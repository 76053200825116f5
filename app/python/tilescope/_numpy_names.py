"""numpy's old names for Python's own types, where they are missing.

Scripts from the time of the SDK use ``np.bool``; numpy 1.24 removed these names, so they would fail at once.
"""

import warnings

import numpy

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for _name, _type in {"bool": bool, "int": int, "float": float, "complex": complex, "object": object,
                         "str": str}.items():
        if not hasattr(numpy, _name):
            setattr(numpy, _name, _type)
