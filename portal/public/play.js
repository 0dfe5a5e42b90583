// When the game has ended, its result is offered. full-screen.js has removed its button where there is no full screen.
const frame = document.querySelector('.game-frame')
const button = document.querySelector('#full-screen')
const leave = document.querySelector('#leave')
const { form } = leave
const sendsMs = 1_500
const looksMs = 15_000

// A game sends its last statements when it closes, so the frame is removed before the session ends.
form.addEventListener('submit', (event) => {
  if (!frame?.isConnected) return
  event.preventDefault()
  for (const one of [button, leave]) if (one) one.disabled = true
  leave.textContent = leave.dataset.saving
  frame.remove()
  form.action = event.submitter?.getAttribute('formaction') ?? form.action
  setTimeout(() => form.submit(), sendsMs)
})

// Whether the game has ended is asked of the store: what the frame says is only a hint to ask now.
const reached = document.querySelector('.reached .card')
let loaded = performance.now()
let shown = ''
frame?.addEventListener('load', () => (loaded = performance.now()))

async function look() {
  if (!form.dataset.result || document.hidden || !(frame?.isConnected ?? true)) return
  const body = new URLSearchParams(new FormData(form))
  if (frame) body.set('age', Math.round(performance.now() - loaded))
  const answer = await fetch(form.dataset.result, { method: 'POST', body, headers: { Accept: 'application/json' } })
  if (answer.status === 404) return clearInterval(looks)
  if (!answer.ok) return
  const { ended, text } = await answer.json()
  // the last screen of the game stays until the learner wants to see the result
  if (ended !== '' && ended !== shown) {
    shown = ended
    reached.querySelector('p').textContent = text
    reached.hidden = false
  }
}
const lookQuietly = () => void look().catch(() => {})
const looks = setInterval(lookQuietly, looksMs)
let hinted
addEventListener('message', ({ source, data }) => {
  if (!frame || source !== frame.contentWindow || data?.type !== 'xapi-ended') return
  clearTimeout(hinted)
  hinted = setTimeout(lookQuietly, sendsMs)
})
document.querySelector('#play-on').addEventListener('click', () => {
  reached.hidden = true
  frame?.focus()
})
