#!/bin/sh
# Make sure that ffmpeg and ffprobe are here: install them where that is possible without asking, else say how.
set -eu

found() { command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1; }

found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing ffmpeg" >&2
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ffmpeg >&2 || true
elif command -v brew >/dev/null 2>&1; then
    echo "installing ffmpeg" >&2
    brew install --quiet ffmpeg >&2 || true
fi
found && exit 0

echo "ffmpeg and ffprobe are needed and are not on PATH. Type one of these, then try again:" >&2
if command -v apt-get >/dev/null 2>&1; then
    echo "    sudo apt-get update && sudo apt-get install ffmpeg" >&2
elif command -v dnf >/dev/null 2>&1; then
    echo "    sudo dnf install ffmpeg-free" >&2
elif command -v pacman >/dev/null 2>&1; then
    echo "    sudo pacman -S ffmpeg" >&2
elif command -v apk >/dev/null 2>&1; then
    echo "    sudo apk add ffmpeg" >&2
else
    echo "    brew install ffmpeg                  (macOS, with Homebrew)" >&2
    echo "    sudo apt-get install ffmpeg          (Debian, Ubuntu)" >&2
fi
exit 1
