#!/usr/bin/env python3
"""Exports torchvision's models with random weights and runs each: a table of what TileScope says.

Needs torch and torchvision (Debian: python3-torchvision, with /usr/bin/python3). Nothing is downloaded.

    import_table.py --tilescope build/release/bin/tilescope [--batch 4] [--tiles 64] [--keep DIR] [NAME...]

With --keep the exported files stay in DIR; with TILESCOPE_TORCHVISION_DIR=DIR in its environment the test
simulator_frontend_survey_test imports them, without compiling.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torchvision
from torchvision.models import detection, segmentation
from torchvision.models.detection import backbone_utils


class FirstOutput(torch.nn.Module):
    """What a segmentation model gives by name, as a tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)["out"]


class Levels(torch.nn.Module):
    """The levels of a feature pyramid, as tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return tuple(self.model(x).values())


def classification(name, **options):
    return lambda: getattr(torchvision.models, name)(weights=None, **options)


def segmenter(name):
    return lambda: FirstOutput(getattr(segmentation, name)(weights=None, weights_backbone=None))


def pyramid(name):
    return lambda: Levels(backbone_utils.resnet_fpn_backbone(backbone_name=name, weights=None))


def mobile_pyramid():
    return Levels(backbone_utils.mobilenet_backbone(backbone_name="mobilenet_v3_large", weights=None, fpn=True))


def ssd_features():
    return Levels(detection.ssd300_vgg16(weights=None, weights_backbone=None).backbone)


# name: how to make it, and the side of its images
MODELS = {
    "alexnet": (classification("alexnet"), 224),
    "vgg16_bn": (classification("vgg16_bn"), 224),
    "resnet50": (classification("resnet50"), 224),
    "resnext50_32x4d": (classification("resnext50_32x4d"), 224),
    "wide_resnet50_2": (classification("wide_resnet50_2"), 224),
    "squeezenet1_1": (classification("squeezenet1_1"), 224),
    "densenet121": (classification("densenet121"), 224),
    "googlenet": (classification("googlenet", init_weights=False, aux_logits=False), 224),
    "inception_v3": (classification("inception_v3", init_weights=False, aux_logits=False), 299),
    "mobilenet_v2": (classification("mobilenet_v2"), 224),
    "mobilenet_v3_large": (classification("mobilenet_v3_large"), 224),
    "mnasnet1_0": (classification("mnasnet1_0"), 224),
    "shufflenet_v2_x1_0": (classification("shufflenet_v2_x1_0"), 224),
    "efficientnet_b0": (classification("efficientnet_b0"), 224),
    "efficientnet_v2_s": (classification("efficientnet_v2_s"), 384),
    "regnet_y_400mf": (classification("regnet_y_400mf"), 224),
    "convnext_tiny": (classification("convnext_tiny"), 224),
    "vit_b_16": (classification("vit_b_16"), 224),
    "swin_t": (classification("swin_t"), 224),
    "resnet50_fpn": (pyramid("resnet50"), 256),
    "mobilenet_v3_large_fpn": (mobile_pyramid, 256),
    "ssd300_vgg16_features": (ssd_features, 300),
    "fcn_resnet50": (segmenter("fcn_resnet50"), 256),
    "deeplabv3_resnet50": (segmenter("deeplabv3_resnet50"), 256),
    "deeplabv3_mobilenet_v3_large": (segmenter("deeplabv3_mobilenet_v3_large"), 256),
    "lraspp_mobilenet_v3_large": (segmenter("lraspp_mobilenet_v3_large"), 256),
}


def export(make, side, file, batch, opset=16):
    """Returns None, or why torch cannot export the model."""
    try:
        model = make().eval()
        images = torch.zeros(batch, 3, side, side)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(model, images, file, opset_version=opset, input_names=["images"])
        return None
    except Exception as error:  # torch raises many kinds
        return str(error).strip().splitlines()[0][:200]


def imported(tilescope, file, batch, tiles):
    command = [tilescope, "run", file, "--no-profile", "--batch-size", str(batch)]
    if tiles:
        command += ["--tiles-per-ipu", str(tiles)]
    done = subprocess.run(command, capture_output=True, text=True)
    text = (done.stderr or done.stdout).strip()
    # 1: it was compiled and does not fit.
    verdicts = {0: "yes", 1: "yes", 2: "refused"}
    return verdicts.get(done.returncode, f"exit {done.returncode}"), text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilescope", required=True)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--tiles", type=int, help="tiles of the IPU: fewer compile sooner")
    parser.add_argument("--keep", metavar="DIR", help="keep the exported files here")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    refusals = 0
    print(f"| model | exported | imports at batch {arguments.batch} | what it says |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or MODELS:
            make, side = MODELS[name]
            file = os.path.join(arguments.keep or folder, name + ".onnx")
            why = export(make, side, file, arguments.batch)
            if why:
                print(f"| {name} | no | - | {why} |", flush=True)
                continue
            verdict, text = imported(arguments.tilescope, file, arguments.batch, arguments.tiles)
            refusals += verdict != "yes"
            first = text.splitlines()[0][:160] if text else ""
            print(f"| {name} | yes | {verdict} | {'' if verdict == 'yes' else first} |", flush=True)
            if not arguments.keep:
                os.remove(file)
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main())
