import { isGuide, sections } from './contents.ts'

/** docs/README.md: the guides in their order. */
export const contentsPage = (): string =>
  `# Guides\n\nIn the order in which they are read. A running portal has them at \`/docs\`, with a search.\n${sections
    .map(({ title, about, of }) => {
      const rows = of.filter(isGuide).map(({ file, about }) => `- [${nameOf(file)}](${fromDocs(file)}): ${about}`)
      return `\n## ${title}\n\n${about}\n\n${rows.join('\n')}\n`
    })
    .join('')}`

const fromDocs = (file: string): string => (file.startsWith('docs/') ? file.slice('docs/'.length) : `../${file}`)
const nameOf = (file: string): string => fromDocs(file).replace(/^\.\.\//, '')
