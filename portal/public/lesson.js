// The board of a lesson shows within a second what is new. Parts that are as before stay, and what has the focus keeps it.
const board = document.querySelector('#board')
const { from } = board.dataset
const everyMs = 800
const parts = (within) => [...within.querySelectorAll('[data-part]')]
let shown = parts(board).map((part) => part.innerHTML)
let timer
let asked = 0

async function look() {
  clearTimeout(timer)
  if (!from || document.hidden) return
  const turn = ++asked
  const began = performance.now()
  try {
    const answer = await fetch(from, { headers: { Accept: 'text/html' } })
    // signed out, or no member any more: the page says so
    if (answer.redirected || answer.status === 403 || answer.status === 404) return location.reload()
    if (answer.ok && turn === asked) show(await answer.text())
  } catch {
    // the next look may find the way
  }
  if (turn === asked) timer = setTimeout(() => void look(), Math.max(200, everyMs - (performance.now() - began)))
}

function show(text) {
  const template = document.createElement('template')
  template.innerHTML = text
  const arrived = parts(template.content).map((part) => part.innerHTML)
  for (const [n, part] of parts(board).entries()) {
    if (arrived[n] === undefined || arrived[n] === shown[n]) continue
    const focused = part.contains(document.activeElement) ? document.activeElement.id : undefined
    const [left, top] = placeOf(part)
    part.innerHTML = arrived[n]
    const table = part.querySelector('.table')
    if (table) [table.scrollLeft, table.scrollTop] = [left, top]
    if (focused !== undefined)
      (document.getElementById(focused) ?? part.querySelector('button, [tabindex]'))?.focus({ preventScroll: true })
  }
  shown = arrived
}

function placeOf(part) {
  const { scrollLeft = 0, scrollTop = 0 } = part.querySelector('.table') ?? {}
  return [scrollLeft, scrollTop]
}

// Buttons do their work without a new page; where that fails, with one.
board.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event
  if (!form.matches('form.here')) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, submitter))
  submitter.disabled = true
  const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined)
  if (answer?.type !== 'opaqueredirect') {
    submitter.disabled = false
    location.reload()
  } else await look()
  submitter.disabled = false
})
document.addEventListener('visibilitychange', () => void look())
timer = setTimeout(() => void look(), everyMs)
