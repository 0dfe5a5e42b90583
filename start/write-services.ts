// Writes docs/rpc.md, or the file named, from the comments of proto/ and from what is declared beside the handlers.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createFileRegistry, fromBinary, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { NotAudited } from '../core/process/methods/audit-entries.ts'
import { declaredOf } from '../core/rpc/services/services.ts'

const root = resolve(import.meta.dirname, '..')
const buf = resolve(root, 'node_modules', '.bin', 'buf')
const image = execFileSync(buf, ['build', '--as-file-descriptor-set', '-o', '-'], { cwd: root })
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image))

/** Number of the field `service` in a file's descriptor, and of `method` in a service's. */
const [serviceField, methodField] = [6, 2]

const services = [...registry].filter(
  (one): one is DescService => one.kind === 'service' && one.typeName.startsWith('lrs.'),
)

/** The comment before a part of a file, in one line. */
function commentAt({ file }: DescService, path: readonly number[]): string {
  const place = file.proto.sourceCodeInfo?.location.find((one) => one.path.join() === path.join())
  return (place?.leadingComments ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()
}

function sectionOf(service: DescService): string {
  const path = [serviceField, service.file.services.indexOf(service)]
  const name = service.file.name.split('/').at(-1)
  const rows = service.methods.map((method, n) => rowOf(method, commentAt(service, [...path, methodField, n])))
  return `## ${service.name}

${commentAt(service, path)}
Messages: [${name}.proto](../proto/${service.file.name}.proto).

| method | what | who | session | token | audit log |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

function rowOf(method: DescMethod, comment: string): string {
  const stream = { unary: '', server_streaming: ', a stream of answers', client_streaming: ', takes a stream' }
  const kind = method.methodKind === 'bidi_streaming' ? ', streams both ways' : stream[method.methodKind]
  const what = comment.startsWith(`${method.name} `) ? comment.slice(method.name.length + 1) : comment
  const { who, right, tokens, audit } = declaredOf(method)!
  const action = audit instanceof NotAudited ? '' : `\`${audit.action}\``
  const cells = [what, who.join(', '), right === 'none' ? '' : right, tokens.join(', '), action]
  return `| \`${method.name}\`${kind} | ${cells.join(' | ')} |`
}

const page = `# Services of core

Made by \`node start/bootstrap.mjs start/write-services.ts\` from the comments in \`proto/lrs/v1\` and from
what is declared beside each handler in \`core/rpc/services\`. How to call them, and what the roles are:
[services.md](services.md).

*who*: roles of service tokens; \`game\` is a game with its credential or a launch token. *session*: what a session needs
beside that token: \`public\` nothing, \`entrance\` an account, \`account\` one with a second factor if the operator asks for
one, \`analyst\`, \`developer\` or \`owner\` this role or a higher one, \`tester\` a developer or a reviewer, \`admin\` an
admin; empty: no session may call it. *token*: scopes of which a personal token needs one; empty: none may call it.
*audit log*: the action under which it is [written down](audit.md); empty: it is not.

${services
  .toSorted((one, other) => one.name.localeCompare(other.name))
  .map(sectionOf)
  .join('\n')}`

writeFileSync(process.argv[2] ?? resolve(root, 'docs', 'rpc.md'), page)
