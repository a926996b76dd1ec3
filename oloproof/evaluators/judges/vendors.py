"""What vendors take at most in one request, as their documentation said in 2026: told before sending, in our words."""

from __future__ import annotations

from msgspec import Struct


class VendorLimits(Struct, frozen=True):
    """Limits of one vendor; None where it names none. An image's bytes count before base64, a request's after.

    ``reply_tokens`` is no limit but what a reply is given room for: hosted models think first, which counts too, and
    their smallest take no more than 4,096; one on this machine often has a context of that size for everything.
    """

    image_bytes: int | None = None
    image_side: int | None = None
    images: int | None = None
    request_bytes: int | None = None
    reply_tokens: int = 1_024


LIMITS = {
    # an image may take 10 MiB as base64, a request 32 MB; more than 20 images at once are held to 2,000 pixels
    "anthropic": VendorLimits(
        image_bytes=10 * 1024 * 1024 * 3 // 4,
        image_side=8_000,
        images=100,
        request_bytes=32_000_000,
        reply_tokens=4_096,
    ),
    "openai": VendorLimits(images=500, request_bytes=50_000_000, reply_tokens=4_096),
    "openai_compatible": VendorLimits(),
}


def smaller(own: int | None, vendors: int | None) -> int | None:
    """Return the tighter of two limits, of which either may be missing."""
    given = [limit for limit in (own, vendors) if limit is not None]
    return min(given) if given else None
