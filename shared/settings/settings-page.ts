import { secretSettings } from './settings.ts'
import { readers, table, type Setting } from './table.ts'

/** The rows of the table, one for each meaning, with links as from this folder (`''`: docs). */
export function settingsTable(folder = ''): string[] {
  const rows = Map.groupBy(Object.entries<Setting>(table), ([, { meaning }]) => meaning)
  return [...rows].map(([meaning, settings]) => {
    const names = settings.map(([name]) => `\`${name}\``)
    const usual = settings.map(([, { usual, unset }]) => unset ?? (typeof usual === 'number' ? usual : `\`${usual}\``))
    const by = settings.flatMap(([, { by }]) => by.flatMap((reader) => readers[reader].split(', ')))
    const shown = [names, new Set(usual).size > 1 ? usual : [usual[0]], new Set(by)].map((words) =>
      [...words].join(', '),
    )
    return `| ${shown.join(' | ')} | ${meaning.replaceAll(/\]\((?=[\w-]+\.md)/g, `](${folder}`)} |`
  })
}

/** The whole of docs/settings.md. */
export function settingsPage(): string {
  return `# Settings

Settings come from the environment; an empty value counts as unset. A wrong value stops the start with one line and exit
code 2. An \`LRS_\` name that is not a setting prints one line with the nearest name. \`npm start\` keeps what it
generates in \`secrets.json\` of the data folder.

The value of a secret may be in a file, like secrets of containers; then the setting with \`_FILE\` is its path:
${secretSettings.map((name) => `\`${name}_FILE\``).join(', ')}.

This page is made from [shared/settings/table.ts](../shared/settings/table.ts), from which all processes read, by
\`node start/bootstrap.mjs start/write-settings.ts\`; a test compares it, the README and the code.

| setting | default | read by | meaning |
|---|---|---|---|
${settingsTable().join('\n')}
`
}
