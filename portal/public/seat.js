// Asks how the seat of a lesson is: let in, paused, in another game, over. Tells when its page is closed.
const page = document.querySelector('[data-seat]')
const frame = document.querySelector('.game-frame')
const { seat: place, game } = page.dataset
const asksMs = 1_500

async function ask() {
  const answer = await fetch('/join/seat.json', { headers: { Accept: 'application/json' } })
  if (!answer.ok) return
  const seat = await answer.json()
  if (isLeaving) return
  if (seat.at === 'over') return end('/join/wait')
  if (place === 'playing') {
    if (seat.game !== game) return end()
    cover(seat.paused)
  } else if (seat.at !== place) end('/join/wait')
}

// A game sends its last statements when it closes.
function end(path) {
  stop()
  if (!frame) return location.replace(path)
  frame.remove()
  setTimeout(() => (path ? location.replace(path) : document.querySelector('#next').closest('form').submit()), asksMs)
}

// an opaque origin cannot be named as the target; frame-src keeps the frame on the origin of games
const tell = (type) => frame?.contentWindow?.postMessage({ type }, '*')

function cover(paused) {
  if (paused === page.open) return
  if (paused) page.showModal()
  else page.close()
  tell(paused ? 'xapi-pause' : 'xapi-resume')
  if (!paused) frame?.focus()
}

if (place === 'playing') {
  page.addEventListener('cancel', (event) => event.preventDefault())
  frame?.addEventListener('load', () => page.open && tell('xapi-pause'))
}

// What a form is about to change must not lead elsewhere meanwhile.
let isLeaving = false
function stop() {
  isLeaving = true
  clearInterval(asking)
}
addEventListener('submit', stop)
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

// A game that nobody looks at is not in use; an installed game may lie over its page. Presses in the game count here, too.
const idleMs = 10 * 60_000
let [isAsking, used] = [false, Date.now()]
async function askOnce() {
  if (!navigator.userActivation || navigator.userActivation.isActive) used = Date.now()
  if (isAsking || (frame && (document.hidden || Date.now() - used > idleMs))) return
  isAsking = true
  await ask().catch(() => {})
  isAsking = false
}
const asking = setInterval(() => void askOnce(), asksMs)
void askOnce()
document.addEventListener('visibilitychange', () => document.hidden || void askOnce())
addEventListener('pagehide', () => {
  const csrf = document.querySelector('[name=csrf]')?.value ?? ''
  navigator.sendBeacon('/join/closed', new URLSearchParams({ csrf }))
})
