// Every time of the page in the zone of the account, or of the browser, with the name of the zone. Without this script they stay in UTC.
const short = { dateStyle: 'medium', timeStyle: 'short' }
const exact = { dateStyle: 'medium', timeStyle: 'medium' }
const styles = { minute: short, second: exact, clock: { timeStyle: 'medium' } }
const { lang, dataset } = document.documentElement
const { zone: wanted } = dataset
const zone = isKnown(wanted) ? wanted : Intl.DateTimeFormat().resolvedOptions().timeZone
const inZone = (style) => new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { ...style, timeZone: zone })
const formats = new Map(Object.entries(styles).map(([name, style]) => [name, inZone(style)]))
const names = ['short', 'long'].map((timeZoneName) => inZone({ timeZoneName }))

/** The name of the zone at this time: it changes in summer. */
const nameOf = (format, at) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone

/** Browsers know different zones. */
function isKnown(zone) {
  try {
    return zone !== undefined && Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }))
  } catch {
    return false
  }
}

function show(time) {
  const at = new Date(time.dateTime)
  const format = formats.get(time.dataset.to)
  if (!format || Number.isNaN(at.getTime())) return
  const [name, long] = names.map((format) => nameOf(format, at))
  const text = `${format.format(at)} ${name}`
  if (time.textContent === text) return
  time.textContent = text
  time.title = `${long}, ${zone}`
}

const showAll = (node) => node.querySelectorAll('time[data-to]').forEach(show)

showAll(document)
// statements and requests that arrive while the page is open
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) showAll(node)
}).observe(document.body, { childList: true, subtree: true })
