/* Light or dark: as the system has it, until the viewer chooses. */

const stored = 'morsel-theme';

export function applyTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    document.documentElement.dataset['theme'] = localStorage.getItem(stored) ?? (dark.matches ? 'dark' : 'light');
  };
  dark.addEventListener('change', apply);
  apply();
}

export function toggleTheme(): void {
  const next = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
  localStorage.setItem(stored, next);
  document.documentElement.dataset['theme'] = next;
}
