"""Switch positional encoding, mask and scale off and on again with their last settings."""

from __future__ import annotations

from core.document.document import Document, Mask, Positional, Scale
from core.document.edits import with_mask, with_positional, with_scale
from core.document.parts import ADDED_POSITIONAL_KINDS
from gui.session.session import Session
from gui.texts.translation import mark


class FeatureToggles:
    """Remember the setting of each switch before it went off."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._positional: Positional | None = None
        self._mask: Mask | None = None
        self._scale = Scale("sqrt_dk")

    def toggle_positional(self) -> None:
        """Switch off, or on with the last setting; at first sinusoidal (rotary where Q, K, V are
        entered).
        """
        now = self._session.state.document
        if now.positional.kind != "none":
            self._positional = now.positional
            self._session.change(with_positional, Positional(), text=mark("Positions off"))
        else:
            self._session.change(
                with_positional, self._positional_for(now), text=mark("Positions on")
            )

    def _positional_for(self, document: Document) -> Positional:
        first = Positional("rotary" if document.source == "qkv" else "sinusoidal")
        kept = self._positional
        if kept is None or (document.source == "qkv" and kept.kind in ADDED_POSITIONAL_KINDS):
            return first
        if kept.P is not None and kept.P.shape != (document.n, document.d):
            return first
        heads = {scope.h for scope in document.scopes} or {document.h}
        if kept.slopes is not None and {kept.slopes.size} != heads:
            return Positional("alibi")
        return kept

    def toggle_mask(self) -> None:
        """Switch off, or on with the last setting; at first causal."""
        document = self._session.state.document
        if document.mask.kind != "none":
            self._mask = document.mask
            self._session.change(with_mask, Mask(), text=mark("Mask off"))
            return
        kept = self._mask
        fits = kept is not None and (
            kept.allow is None or kept.allow.shape == (document.n, document.m)
        )
        self._session.change(with_mask, kept if fits else Mask("causal"), text=mark("Mask on"))

    def toggle_scale(self) -> None:
        """Switch off, or on with the last setting."""
        document = self._session.state.document
        if document.scale.kind != "none":
            self._scale = document.scale
            self._session.change(with_scale, Scale("none"), text=mark("Scaling off"))
        else:
            self._session.change(with_scale, self._scale, text=mark("Scaling on"))
