import { allSettings } from './all-settings.ts'
import { secretSettings } from './secret-files.ts'

/** The rows of the table, with links as from this folder (`''`: docs). */
export function settingsTable(folder = ''): string[] {
  return allSettings.map(({ names, default: usual, readBy, meaning }) => {
    const shown = names.map((name) => `\`${name}\``).join(', ')
    return `| ${shown} | ${usual} | ${readBy} | ${meaning.replaceAll(/\]\((?=[\w-]+\.md)/g, `](${folder}`)} |`
  })
}

/** The whole of docs/settings.md. */
export function settingsPage(): string {
  return `# Settings

Settings come from the environment; an empty value counts as unset. Each process reads its settings in one file
(\`*/config.ts\`). A wrong value stops the start with one line and exit code 2. An \`LRS_\` name that is not a setting
prints one line with the nearest name. \`npm start\` keeps what it generates in \`secrets.json\` of the data folder.

The value of a secret may be in a file, like secrets of containers; then the setting with \`_FILE\` is its path:
${secretSettings.map((name) => `\`${name}_FILE\``).join(', ')}.

This page is made from [shared/settings/all-settings.ts](../shared/settings/all-settings.ts) by
\`node start/bootstrap.mjs start/write-settings.ts\`; a test compares it, the README and the code.

| setting | default | read by | meaning |
|---|---|---|---|
${settingsTable().join('\n')}
`
}
