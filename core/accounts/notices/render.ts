import { textsIn } from '../../../shared/texts.ts'
import type { NoticeText } from '../store/notices.ts'
import { unlinked } from './unlinked.ts'

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

const reasons = { link: 'mail.whyLink', notice: 'mail.whyNotice', weekly: 'mail.whyWeekly' } as const

/**
 * The mail of a notice: the same words as text and as HTML, which loads nothing.
 * @param at address of its link @param ends address that ends mails like this; empty: none
 */
export function renderMail(
  { title, lines, action }: NoticeText,
  at: string,
  kind: keyof typeof reasons,
  ends = '',
  language = 'en',
): RenderedMail {
  const reason = String(textsIn(language)(reasons[kind]).format({ host: new URL(at).host }))
  const end = ends === '' ? reason : `${reason}\n${ends}`
  const subject = unlinked(title.replaceAll(/[\p{Cc}\s]+/gu, ' '))
  const safe = lines.map(unlinked)
  const paragraphs = safe.map((line) => `<p>${escaped(line).replaceAll('\n', '<br>')}</p>`)
  return {
    subject,
    text: [...safe, `${action}:\n${at}`, `-- \n${end}`].join('\n\n') + '\n',
    html: `<!doctype html>
<html lang="${escaped(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:36em">
<h1 style="font-size:20px">${escaped(subject)}</h1>
${paragraphs.join('\n')}
<p><a href="${escaped(at)}" style="font-weight:bold">${escaped(action)}</a></p>
<p style="font-size:13px;overflow-wrap:anywhere">${escaped(at)}</p>
<p style="font-size:13px;border-top:1px solid;padding-top:8px;overflow-wrap:anywhere">${escaped(reason)}${ends && ` <a href="${escaped(ends)}">${escaped(ends)}</a>`}</p>
</div>
</body>
</html>
`,
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign]!)
