import { html, type Html } from '../web/html.ts'
import { frames, partsOf, type Chart, type Drawing } from './chart.ts'

const width = 900
const margin = 24

/** Colours of the light mode, as in charts.css: a file has no style sheet beside it. */
const style = `text{font:13px system-ui,sans-serif;fill:#1d1e26}.title{font-size:20px;font-weight:600}
.tick,.value,.side,.source{fill:#5b5d6c;font-size:12px}
.reached{fill:#1f5fbf}.stuck{fill:#c87700}.left{fill:#9b2c0f}.neutral{fill:#5f6583}.further{fill:#8b8fa6}
.line{fill:none;stroke-width:2}.line.neutral{stroke:#5f6583}.line.further{stroke:#8b8fa6;stroke-dasharray:5 5}
.name.further{fill:#5b5d6c}.area{opacity:.14}.event{font-size:12px;fill:#5b5d6c}line.event{stroke:#5b5d6c}.guide{stroke:#dcdde6;stroke-dasharray:2 4}.base{stroke:#dcdde6}.track{fill:#eeeef4}
.middle{stroke:#1d1e26;stroke-width:3}.box{opacity:.55}.hit{fill:none}.unknown{fill:#eeeef4}
.looks circle{opacity:0}.looks.single circle{opacity:1}`

/** Characters that names may have and XML may not: one of them, and no program opens the file. */
// oxlint-disable-next-line no-control-regex
const noXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** The chart as a file that stands by itself. */
export function svgFile({ title, answer, source, drawing }: Chart, about: string): string {
  if (!drawing) return ''
  const { top, right, bottom, left } = frames[drawing.frame]
  const lines = [...answer.split('\n').flatMap(wrapped), '', ...wrapped(source), about]
  const legendTop = margin + 32
  const plotTop = legendTop + (drawing.legend ? 24 : 0) + top
  const textTop = plotTop + drawing.height + bottom + 28
  const height = textTop + lines.length * 18 + margin / 2
  const plotWidth = width - 2 * margin - left - right
  const { text } =
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"
      role="img" aria-label="${title}"><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>
<text class="title" x="${margin}" y="${margin + 14}">${title}</text>${
      drawing.legend && legend(drawing.legend, legendTop)
    }
<svg x="${margin + left}" y="${plotTop}" width="${plotWidth}" height="${drawing.height}"
overflow="visible">${drawing.content}</svg>
${lines.map((line, at) => html`<text class="source" x="${margin}" y="${textTop + at * 18}">${line}</text>`)}</svg>
`
  // addresses of this portal lead nowhere from a file
  return text.replaceAll(/ (href|tabindex|role)="[^"]*"/g, '').replaceAll(noXml, '�')
}

function legend(names: NonNullable<Drawing['legend']>, y: number): Html {
  let x = margin
  return html`${partsOf(names).map(([meaning, name]) => {
    if (name === undefined) return false
    const begin = x
    x += 40 + name.length * 7
    return html`<rect class="${meaning}" x="${begin}" y="${y - 4}" width="12" height="12" rx="3"/><text
      x="${begin + 18}" y="${y + 7}">${name}</text>`
  })}`
}

/** Lines of at most 130 letters. */
const wrapped = (text: string): string[] => text.match(/.{1,130}(?:\s|$)/g) ?? []
