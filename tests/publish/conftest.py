# SPDX-License-Identifier: Apache-2.0
"""A Hub on loopback that the real client talks to."""

import datasets
import pytest
from huggingface_hub import constants

from tests.publish.hub_server import serve


@pytest.fixture
def hub(monkeypatch):
    with serve() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        template = running.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(datasets.config, "HF_ENDPOINT", running.url)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # the LFS protocol
        yield running
