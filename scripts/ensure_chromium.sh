#!/bin/sh
# Make sure that Chromium is here, for the browser tests: install it where that is possible without asking, else say how.
# Playwright drives the browser of the system and downloads none.
set -eu

found() {
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    [ -e "/Applications/Chromium.app" ] || [ -e "/Applications/Google Chrome.app" ]
}

# On Ubuntu the package of this name only leads to a snap, which does not run everywhere.
is_ubuntu() { [ -r /etc/os-release ] && grep -q '^ID=ubuntu' /etc/os-release; }

found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! is_ubuntu; then
    echo "installing Chromium" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-liberation >&2
fi
found && exit 0

echo "The browser tests need Chromium or Chrome, and neither is on PATH. Type one of these, then try again:" >&2
if is_ubuntu; then
    echo "    sudo snap install chromium           (or install Google Chrome from its .deb)" >&2
elif command -v apt-get >/dev/null 2>&1; then
    echo "    sudo apt-get update && sudo apt-get install chromium" >&2
elif command -v dnf >/dev/null 2>&1; then
    echo "    sudo dnf install chromium" >&2
elif command -v pacman >/dev/null 2>&1; then
    echo "    sudo pacman -S chromium" >&2
elif command -v apk >/dev/null 2>&1; then
    echo "    sudo apk add chromium" >&2
else
    echo "    brew install --cask google-chrome    (macOS, with Homebrew)" >&2
    echo "    sudo apt-get install chromium        (Debian)" >&2
fi
exit 1
