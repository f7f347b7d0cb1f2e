import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/*
 * The pages of a package: the guides, and every file that they link to, so that no link of an installed page leads nowhere. Each
 * page keeps its path, because the package has the folders of the repository.
 */

const root = join(import.meta.dirname, '../..');

/**
 * Copies pages, and all pages and files that they lead to. The package has its own README at its root, so a link to the
 * README is not followed. Throws if a page links to what is neither a page nor a file for operators.
 */
export function copyPages(starts: readonly string[], target: string): void {
  const found = new Set(starts);
  for (const path of found) {
    if (!/\.(?:md|png|service|ya?ml|json)$/.test(path) || !isFile(join(root, path)))
      throw new Error(`a page links to ${path}, which cannot be in a package`);
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(root, path), join(target, path));
    if (!path.endsWith('.md')) continue;
    for (const link of linksOf(readFileSync(join(root, path), 'utf8'))) {
      const linked = posix.join(posix.dirname(path), link);
      if (linked !== 'README.md') found.add(linked);
    }
  }
}

/** The relative links of a page, without the part after #. */
export function linksOf(page: string): readonly string[] {
  return [...page.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link.replace(/#.*$/, ''))
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link));
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
