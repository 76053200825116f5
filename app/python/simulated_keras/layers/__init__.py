"""keras.layers: those that TileScope's Keras importer reads."""
from .._errors import refuse_unknown
from .._functional import Input, InputLayer
from .._layer import Layer
from ._attention import MultiHeadAttention
from ._dense import Dense, Embedding, Lambda, RecomputationCheckpoint, Rescaling
from ._dropout import Dropout, GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D
from ._activations import (ELU, Activation, ActivityRegularization, LeakyReLU, PReLU, ReLU, Softmax, ThresholdedReLU)
from ._masks import Masking
from ._norms import (BatchNormalization, GroupNorm, GroupNormalization, LayerNormalization,
                     SyncBatchNormalization)
from ._recurrent import (GRU, LSTM, Bidirectional, CuDNNGRU, CuDNNLSTM, PopnnGRU, PopnnLSTM,
                         SimpleRNN)
from ._shapes import (Add, Average, Concatenate, Cropping1D, Cropping2D, Cropping3D, Flatten,
                      Maximum, Minimum, Multiply, Permute, RepeatVector, Reshape, Subtract,
                      UpSampling1D, UpSampling2D, UpSampling3D, ZeroPadding1D, ZeroPadding2D,
                      ZeroPadding3D, add, average, concatenate, maximum, minimum, multiply, subtract)
from ._transposed import (Conv1DTranspose, Conv2DTranspose, Conv3DTranspose, SeparableConv2D,
                          SeparableConvolution2D)
from ._window import (AveragePooling1D, AveragePooling2D, AveragePooling3D, Conv1D, Conv2D, Conv3D,
                      Convolution1D, Convolution2D, Convolution3D, DepthwiseConv2D,
                      GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D,
                      GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D, MaxPool1D,
                      MaxPool2D, MaxPool3D, MaxPooling1D, MaxPooling2D, MaxPooling3D)
from ._wrappers import Dot, TimeDistributed

__all__ = [name for name in dir() if not name.startswith("_") and name != "refuse_unknown"]
__getattr__ = refuse_unknown("keras.layers", __all__)
