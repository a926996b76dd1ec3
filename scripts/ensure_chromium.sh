#!/bin/sh
# Make sure that Chromium is here, for the browser tests: install it where that is possible without asking, else say how.
# Playwright drives the browser of the system and downloads none. The build without a window is preferred where the
# distribution has it: the tests take half of the processor's time with it.
set -eu

found() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    [ -e "/Applications/Chromium.app" ] || [ -e "/Applications/Google Chrome.app" ]
}

# On Ubuntu the package of this name only leads to a snap, which does not run everywhere.
is_ubuntu() { [ -r /etc/os-release ] && grep -q '^ID=ubuntu' /etc/os-release; }

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! is_ubuntu; }

install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Acquire::Retries=0 -o Acquire::http::Timeout=20 "$@" >&2
}

command -v chromium-headless-shell >/dev/null 2>&1 && exit 0
if may_install; then
    found || apt-get update -qq || true
    if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        echo "installing Chromium's headless shell" >&2
        install chromium-headless-shell fonts-liberation || true
    fi
    found || install chromium fonts-liberation || true
fi
found && exit 0

echo "The browser tests need Chromium or Chrome, and neither is on PATH. Type one of these, then try again:" >&2
if is_ubuntu; then
    echo "    sudo snap install chromium           (or install Google Chrome from its .deb)" >&2
elif command -v apt-get >/dev/null 2>&1; then
    echo "    sudo apt-get update && sudo apt-get install chromium-headless-shell" >&2
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
