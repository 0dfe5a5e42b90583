// Sends a file in parts to storage, and continues after lost connections, pauses and reloads. Then core checks it.

const workers = 3
const attempts = 6
/** A part that fails after this time was too slow, whichever side gave up. */
const slowMs = 20_000
const units = [
  ['GB', 2 ** 30],
  ['MB', 2 ** 20],
  ['KB', 2 ** 10],
]

const inBytes = (bytes) => {
  const [unit, size] = units.find(([, size]) => bytes >= size) ?? ['bytes', 1]
  return `${(bytes / size).toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
}
const wait = (ms, signal) =>
  new Promise((done, fail) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), fail(signal.reason)), { once: true })
  })

/** A part that took too long. */
class Slow extends Error {}

/** A refusal of the portal; `link` is the page of the rule. */
class Refused extends Error {
  constructor(status, { error, link }) {
    super(error ?? 'Something went wrong on our side. Try again.')
    this.status = status
    this.link = link
  }
}

/** What the page says of a build: fields that are sent with the request for its upload. */
const words = () =>
  Object.fromEntries([...document.querySelectorAll('.build-words [name]')].map(({ name, value }) => [name, value]))

class Upload {
  constructor(box) {
    this.box = box
    const { action, kind, next, csrf } = box.dataset
    Object.assign(this, { action, kind, next, csrf })
    for (const name of ['drop', 'sending', 'file', 'told', 'pause', 'cancel', 'problem'])
      this[name] = box.querySelector(`.${name}`)
    this.input = box.querySelector('input')
    this.bar = box.querySelector('progress')
    box.querySelector('.drop-hint').hidden = false

    const chosen = () => this.input.files[0] && this.take(this.input.files[0])
    this.input.addEventListener('change', chosen)
    this.drop.addEventListener('dragover', (event) => (event.preventDefault(), this.drop.classList.add('over')))
    this.drop.addEventListener('dragleave', () => this.drop.classList.remove('over'))
    this.drop.addEventListener('drop', (event) => {
      event.preventDefault()
      this.drop.classList.remove('over')
      if (event.dataTransfer.files[0]) void this.take(event.dataTransfer.files[0])
    })
    this.pause.addEventListener('click', () => (this.stop ? this.halt('Paused.') : this.run()))
    this.cancel.addEventListener('click', () => this.discard())
    // the upload was finished while this page was not open
    addEventListener('online', () => this.lost && this.run())
    addEventListener('beforeunload', (event) => this.stop && event.preventDefault())
    // on a slow line people choose before this script is there
    chosen()
  }

  take(file) {
    this.problem.hidden = true
    const endings = this.input.accept.split(',').filter((one) => one.startsWith('.'))
    if (endings.length > 0 && !endings.some((end) => file.name.toLowerCase().endsWith(end))) {
      this.input.value = ''
      return this.show(
        `The name ${file.name} does not end in ${endings.join(', ').replace(/, ([^,]+)$/, ' or $1')}. Nothing was sent.`,
        this.box.dataset.rule,
      )
    }
    this.chosen = file
    // the same file continues where it stopped, also after a reload
    this.words = words()
    const { channel = '' } = this.words
    this.memory = `upload ${this.action} ${this.kind} ${channel} ${file.name} ${file.size} ${file.lastModified}`
    this.drop.hidden = true
    this.sending.hidden = false
    this.file.textContent = `${file.name}, ${inBytes(file.size)}`
    return this.run()
  }

  /** Continues to the end; `halt` or `refuse` end it early. */
  async run() {
    const stop = (this.stop = new AbortController())
    this.lost = false
    this.problem.hidden = true
    this.pause.textContent = 'Pause'
    this.pause.hidden = this.cancel.hidden = false
    try {
      const upload = await this.open(stop.signal)
      if (!upload) return
      await this.send(upload, stop.signal)
      this.checking = true
      this.pause.hidden = this.cancel.hidden = true
      this.bar.removeAttribute('value')
      this.tell('Upload complete. Checking…')
      await this.ask('POST', `/uploads/${this.id}/finalize`, stop.signal)
      localStorage.removeItem(this.memory)
      this.stop = undefined
      this.tell('Done.')
      this.leave()
    } catch (error) {
      if (this.stop !== stop || stop.signal.aborted) return
      // a refusal before the upload began cannot be resumed
      const isBegun = localStorage.getItem(this.memory) !== null
      if (error instanceof Refused && error.status < 500 && (error.status !== 429 || !isBegun)) this.refuse(error)
      else if (error instanceof Refused) this.halt(error.message, error.link)
      else {
        this.halt('Connection lost. The upload continues when the connection is back, or press Resume.')
        this.lost = true
      }
    }
  }

  /** The upload that was begun, or a new one. */
  async open(signal) {
    const known = this.id ?? localStorage.getItem(this.memory)
    if (known) {
      this.tell('Checking which parts have arrived…')
      try {
        return await this.ask('POST', `/uploads/${known}/resume`, signal)
      } catch (error) {
        if (!(error instanceof Refused) || ![400, 404, 409].includes(error.status)) throw error
        // the answer to the last request was lost, but not the request
        if (this.checking) return this.leave()
        localStorage.removeItem(this.memory)
        this.id = undefined
      }
    }
    this.tell('Preparing the upload…')
    const { name, size } = this.chosen
    const upload = await this.ask('POST', this.action, signal, {
      kind: this.kind,
      file_name: name,
      size,
      ...this.words,
    })
    localStorage.setItem(this.memory, upload.id)
    return upload
  }

  async send(upload, signal) {
    this.id = upload.id
    const { missing, part_size: partSize, size } = upload
    this.sent = new Map()
    this.before = size - missing.reduce((sum, part) => sum + part.size, 0)
    this.began = performance.now()
    this.progress(size)
    const queue = [...missing]
    // on a slow connection, parallel parts time out: then they go one after the other
    const work = async (worker) => {
      while (queue.length > 0 && (worker === 0 || !this.isSlow)) {
        const part = queue.shift()
        const from = (part.number - 1) * partSize
        const arrived = await this.part(
          part,
          this.chosen.slice(from, from + part.size),
          size,
          signal,
          worker === 0 && this.isSlow,
        )
        if (!arrived) queue.unshift(part)
      }
    }
    // the first failure ends the other parts
    const all = new AbortController()
    signal.addEventListener('abort', () => all.abort(signal.reason), { once: true })
    signal = all.signal
    try {
      await Promise.all(Array.from({ length: Math.min(workers, missing.length) }, (_, worker) => work(worker)))
      await work(0)
    } finally {
      all.abort()
    }
  }

  /** Whether the part arrived; false: it was too slow in parallel with others. */
  async part(part, bytes, size, signal, isAlone) {
    for (let attempt = 1; ; attempt += 1) {
      const began = performance.now()
      try {
        await this.put(part, bytes, size, signal)
        return true
      } catch (error) {
        const isSlow = error instanceof Slow || (!(error instanceof Refused) && performance.now() - began > slowMs)
        if (isSlow && !isAlone && !signal.aborted) {
          this.isSlow = true
          this.sent.delete(part.number)
          this.tell('The connection is slow. Sending one part at a time…')
          return false
        }
        if (
          signal.aborted ||
          attempt === attempts ||
          (error instanceof Refused && error.status < 500 && error.status !== 429 && error.status !== 403)
        )
          throw error
        this.sent.delete(part.number)
        if (!(error instanceof Refused)) this.tell('Connection lost. Trying again…')
        await wait(Math.min(30_000, 1000 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2), signal)
        // the signed address has expired
        if (error instanceof Refused && error.status === 403) {
          const { missing } = await this.ask('POST', `/uploads/${this.id}/resume`, signal)
          const fresh = missing.find(({ number }) => number === part.number)
          if (!fresh) return true
          part = fresh
        }
      }
    }
  }

  /** With XMLHttpRequest: fetch does not say how much is sent. */
  put({ number, url }, bytes, size, signal) {
    return new Promise((done, fail) => {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      signal.throwIfAborted()
      signal.addEventListener('abort', abort, { once: true })
      request.addEventListener('loadend', () => {
        signal.removeEventListener('abort', abort)
        if (request.status >= 200 && request.status < 300) {
          this.sent.set(number, bytes.size)
          this.progress(size)
          done()
        } else if (request.status === 408) fail(new Slow('The part came too slowly.'))
        else if (request.status === 409) {
          // an older connection still sends this part: handled like a lost connection
          fail(new Error('The part did not get through.'))
        } else if (request.status > 0)
          fail(
            new Refused(request.status, {
              error: `Storage refused a part of the file (${request.status}). Try again.`,
            }),
          )
        else fail(new Error('lost'))
      })
      request.upload.addEventListener('progress', ({ loaded }) => {
        this.sent.set(number, Math.min(loaded, bytes.size))
        this.progress(size)
      })
      request.open('PUT', url)
      request.timeout = 10 * 60_000
      request.send(bytes)
    })
  }

  progress(size) {
    const now = [...this.sent.values()].reduce((sum, bytes) => sum + bytes, 0)
    const done = this.before + now
    const seconds = (performance.now() - this.began) / 1000
    const left = now > 0 && seconds > 2 ? ((size - done) / now) * seconds : NaN
    const words =
      left > 90
        ? `, about ${Math.round(left / 60)} minutes left`
        : left >= 5
          ? `, about ${Math.round(left / 5) * 5} seconds left`
          : ''
    this.bar.value = (100 * done) / size
    this.tell(`${Math.floor((100 * done) / size)} % sent${words}`)
  }

  async ask(method, path, signal, fields = {}) {
    const response = await fetch(path, {
      method,
      signal,
      headers: { csrf: this.csrf, accept: 'application/json' },
      body: method === 'POST' ? new URLSearchParams(fields) : undefined,
    })
    const answer = await response.json().catch(() => ({}))
    if (!response.ok) throw new Refused(response.status, answer)
    return answer
  }

  /** Screen readers do not read out each step of the progress. */
  tell(text) {
    if (this.told.textContent !== text) this.told.textContent = text
  }

  /** Stops the upload so that it can be resumed. */
  halt(text, link) {
    const { stop } = this
    this.stop = undefined
    stop?.abort()
    this.pause.textContent = 'Resume'
    this.pause.hidden = this.cancel.hidden = false
    if (!this.bar.hasAttribute('value')) this.bar.value = 100
    this.tell(link ? 'Paused.' : text)
    if (link) this.show(text, link)
  }

  /** Shows why the file was refused. */
  refuse(error) {
    this.stop?.abort()
    this.stop = undefined
    this.forget()
    this.show(error.message, error.link)
  }

  show(text, link) {
    const words = document.createElement('p')
    words.textContent = text
    this.problem.replaceChildren(words)
    if (link?.startsWith('/')) {
      const rule = Object.assign(document.createElement('a'), { href: link, textContent: 'Read the rule' })
      const line = document.createElement('p')
      line.append(rule)
      this.problem.append(line)
    }
    this.problem.hidden = false
  }

  discard() {
    const { id } = this
    this.stop?.abort()
    this.stop = undefined
    this.forget()
    if (id) this.ask('DELETE', `/uploads/${id}`).catch(() => {})
  }

  forget() {
    if (this.memory) localStorage.removeItem(this.memory)
    this.id = this.chosen = this.memory = undefined
    this.checking = false
    this.input.value = ''
    this.drop.hidden = false
    this.sending.hidden = true
  }

  leave() {
    const here = location.pathname + location.search
    const there = new URL(this.next, location.href)
    if (this.words?.channel === 'beta') there.searchParams.set('done', 'beta')
    location.href = there
    // a change of the fragment alone does not reload the page
    if (there.pathname + there.search === here) location.reload()
  }
}

Array.from(document.querySelectorAll('.upload'), (box) => new Upload(box))
