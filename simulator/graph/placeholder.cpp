#include "simulator/graph/graph.h"
