// The theme is kept in a cookie, so that the server sets it and no page flashes.

const YEAR = 31536000;

export function startTheme() {
  const choice = document.getElementById("theme");
  choice.value = document.documentElement.dataset.theme ?? "";
  choice.addEventListener("change", () => {
    document.cookie = `theme=${choice.value}; path=/; max-age=${choice.value ? YEAR : 0}; samesite=strict`;
    if (choice.value) document.documentElement.dataset.theme = choice.value;
    else delete document.documentElement.dataset.theme;
  });
}
