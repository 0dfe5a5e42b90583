import { Failed } from './failed.ts'

/** The file in a pushed folder that says what to leave out. */
export const ignoreFile = '.gamesignore'

/** Files that systems leave behind. Hidden files (.env, .git) are left out, too: they are rarely meant for players. */
const leftBehind = new Set(['thumbs.db', 'desktop.ini', '__macosx'])

/** Whether to leave out a file or folder. */
export type Ignores = (path: string, isFolder: boolean) => boolean

/**
 * The rules of an ignore list, one a line, as those of .gitignore: `#` begins a comment; `*` and `?` match within a name,
 * `**` any folders; a rule that ends in `/` is for folders; with a `/` before its end it is for paths from the top, else
 * for names at any depth. A rule that begins with `!` is refused, so the order of rules does not matter.
 * @throws Failed
 */
export function ignoring(list: string): Ignores {
  const rules = list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf)
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name.startsWith('.') || leftBehind.has(name.toLowerCase())) return true
    return rules.some(({ ofFolders, pattern }) => (isFolder || !ofFolders) && pattern.test(path))
  }
}

function ruleOf(line: string): { ofFolders: boolean; pattern: RegExp } {
  if (line.startsWith('!')) throw new Failed(`${ignoreFile}: "${line}" begins with !, which is not possible.`, 2)
  const body = line.replace(/\/$/, '')
  const source = body
    .replace(/^\//, '')
    .replaceAll(/\*\*\/|\*+|\?|[^*?]+/g, (piece) =>
      piece === '**/'
        ? '(?:.*/)?'
        : piece === '**'
          ? '.*'
          : piece.startsWith('*')
            ? '[^/]*'
            : piece === '?'
              ? '[^/]'
              : piece.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&'),
    )
  return {
    ofFolders: line.endsWith('/'),
    pattern: new RegExp(`^${body.includes('/') ? '' : '(?:.*/)?'}${source}$`, 'u'),
  }
}
