// What a mark of a chart says appears beside it: at a mouse, at a finger, and at the keyboard, where arrows lead from
// mark to mark. Without this script the browser shows the title of a mark, and each chart has a table.
const tip = document.createElement('div')
tip.className = 'tip'
tip.hidden = true
tip.setAttribute('aria-hidden', 'true')
document.body.append(tip)

function show(mark) {
  tip.textContent = mark.getAttribute('aria-label')
  tip.hidden = false
  const at = mark.getBoundingClientRect()
  const { width, height } = tip.getBoundingClientRect()
  const left = Math.min(Math.max(8, at.x + at.width / 2 - width / 2), document.documentElement.clientWidth - width - 8)
  const above = at.y - height - 6
  tip.style.left = `${left + scrollX}px`
  tip.style.top = `${(above > 0 ? above : at.bottom + 6) + scrollY}px`
}

const hide = () => (tip.hidden = true)

/** Which mark a key leads to. */
const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }

for (const chart of document.querySelectorAll('svg.chart')) {
  const marks = [...chart.querySelectorAll('.mark')]
  for (const mark of marks) {
    const title = mark.querySelector('title')
    mark.setAttribute('aria-label', title.textContent)
    // or the browser shows it, too
    title.remove()
    mark.addEventListener('pointerenter', () => show(mark))
    mark.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hide())
    mark.addEventListener('focus', () => show(mark))
    mark.addEventListener('blur', hide)
  }
  chart.addEventListener('keydown', (event) => {
    const from = marks.indexOf(document.activeElement)
    if (from < 0 || !(event.key in steps)) return
    event.preventDefault()
    const to = Math.min(marks.length - 1, Math.max(0, from + steps[event.key]))
    marks[from].setAttribute('tabindex', '-1')
    marks[to].setAttribute('tabindex', '0')
    marks[to].focus()
  })
}
addEventListener('keydown', ({ key }) => key === 'Escape' && hide())
addEventListener('pointerdown', ({ target }) => !target.closest('.mark') && hide())
