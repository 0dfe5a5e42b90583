// In a frame of another site there are no cookies to rely on. The tab keeps the session, so that it survives a reload.
const start = location.pathname.split('/').slice(0, 3).join('/') + location.search
const name = `session ${start}`
const resume = document.querySelector('#resume')
const running = document.querySelector('#end [name=session]')
// a browser may forbid storage in frames: then a reload starts from the beginning
const tab = (() => {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
})()

// a reload asks for the first page, and sends no form again: that would start another session
history.replaceState(null, '', start)
const kept = tab?.getItem(name)
if (resume && kept) {
  resume.elements.session.value = kept
  resume.submit()
} else if (running) tab?.setItem(name, running.value)
else tab?.removeItem(name)
