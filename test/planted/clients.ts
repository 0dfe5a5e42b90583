import type { Planted } from './bugs.ts'

/** Faults of clients by what has to see them: a test of the conformance. */
const seen = {
  wait: '429 and 503 with Retry-After are asked again no sooner',
  page: 'an answer of no record store loses nothing: a page of a network, a redirect, a wrong Retry-After',
  kill: 'the client is killed twice, offline and while it sends: what it said to be kept arrives once',
  again: 'an answer that is lost leads to the identical request, and to one statement',
}

interface Fault {
  readonly seenBy: keyof typeof seen
  readonly file: string
  readonly from: string
  readonly to: string
}

const forgets = 'forgets what a 429 refused'
const early = 'does not wait for Retry-After'
const page = 'takes any page for an answer'
const memory = 'keeps nothing on the disk'
const renewed = 'repeats a request with new ids'

const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  'JavaScript in Chromium': {
    [forgets]: {
      seenBy: 'wait',
      file: 'javascript/sender.ts',
      from: 'if (response) notBefore = Date.now()',
      to: 'if (response?.status === 429) await remove(batch)\n      if (response) notBefore = Date.now()',
    },
    [early]: { seenBy: 'wait', file: 'javascript/sender.ts', from: 'Date.now() + askedWait(response)', to: '0' },
    [page]: { seenBy: 'page', file: 'javascript/sender.ts', from: '() => false,', to: '() => response.ok,' },
    [memory]: {
      seenBy: 'kill',
      file: 'javascript/queue.ts',
      from: '[...(kept ? [kept] : []), ...(hasStorage() ? [inStorage(owner)] : []), inMemory()]',
      to: '[inMemory()]',
    },
    [renewed]: {
      seenBy: 'again',
      file: 'javascript/sender.ts',
      from: 'body: bodyOf(batch),',
      to: 'body: bodyOf(batch).replace(/"id":"[0-9a-f-]{36}"/g, () => `"id":"${crypto.randomUUID()}"`),',
    },
  },
  Python: {
    [forgets]: {
      seenBy: 'wait',
      file: 'python/games_lrs/sender.py',
      from: '            self._later(response)\n',
      to: '            self._later(response)\n            self._queue.remove(count if status == 429 else 0)\n',
    },
    [early]: {
      seenBy: 'wait',
      file: 'python/games_lrs/sender.py',
      from: '_retry_after(response.headers.get("Retry-After"))',
      to: '0.0',
    },
    [page]: {
      seenBy: 'page',
      file: 'python/games_lrs/sender.py',
      from: ' and isinstance(response.json(), list)',
      to: '',
    },
    [memory]: {
      seenBy: 'kill',
      file: 'python/games_lrs/queue.py',
      from: '            self._append(text)\n',
      to: '',
    },
    [renewed]: {
      seenBy: 'again',
      file: 'python/games_lrs/sender.py',
      from: '",".join(batch)',
      to: `__import__("re").sub(r'"id": ?"[0-9a-f-]{36}"', lambda _: '"id":"%s"' % __import__("uuid").uuid4(), ",".join(batch))`,
    },
  },
  'Godot 3': {
    [forgets]: {
      seenBy: 'wait',
      file: 'godot/godot4/addons/games_lrs/sender.gd',
      from: '\t\t_later(response)\n',
      to: '\t\t_later(response)\n\t\tif status == 429:\n\t\t\t_queue.remove(batch.last)\n',
    },
    [early]: {
      seenBy: 'wait',
      file: 'godot/godot4/addons/games_lrs/sender.gd',
      from: '_not_before = now + _asked_wait(response.headers)',
      to: '_not_before = now',
    },
    [page]: {
      seenBy: 'page',
      file: 'godot/godot4/addons/games_lrs/sender.gd',
      from: ' and _has_ids(response)',
      to: '',
    },
    [memory]: {
      seenBy: 'kill',
      file: 'godot/godot4/addons/games_lrs/queue.gd',
      from: '\t_append(text)\n',
      to: '',
    },
  },
  'C# without an engine': {
    [forgets]: {
      seenBy: 'wait',
      file: 'unity/Runtime/Core/Sender.cs',
      from: 'else if (status < 400 || status == 429',
      to: 'else if (status == 429) { Done(); Later(RetryAfter(response.RetryAfter)); }\n            else if (status < 400',
    },
    [early]: {
      seenBy: 'wait',
      file: 'unity/Runtime/Core/Sender.cs',
      from: 'Later(RetryAfter(response.RetryAfter))',
      to: 'Later(0)',
    },
    [page]: {
      seenBy: 'page',
      file: 'unity/Runtime/Core/Sender.cs',
      from: ' && response.Text.TrimStart().StartsWith("[", StringComparison.Ordinal)',
      to: '',
    },
    [memory]: {
      seenBy: 'kill',
      file: 'unity/Runtime/Core/Queue.cs',
      from: 'file != null && file.Append(bytes)',
      to: 'file != null',
    },
  },
}

export const bugsOfClients: readonly Planted[] = Object.entries(faults).flatMap(([client, of]) =>
  Object.entries(of).map(([name, { seenBy, file, ...change }]) => ({
    ...change,
    name: `${client} ${name}`,
    file: `clients/${file}`,
    seenBy: ['clients/conformance/conformance.test.ts', seen[seenBy]] as const,
    client,
  })),
)
