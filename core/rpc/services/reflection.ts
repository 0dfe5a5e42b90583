import { createRegistry, toBinary, type DescFile, type DescService } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectRouter } from '@connectrpc/connect'
import { ServerReflection, type ServerReflectionRequest } from '../../../gen/grpc/reflection/v1/reflection_pb.js'
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as AlphaRequest,
} from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js'

type Asked = ServerReflectionRequest | AlphaRequest
/** Without type names, so that it fits both versions. */
type Answer =
  | { case: 'listServicesResponse'; value: { service: { name: string }[] } }
  | { case: 'fileDescriptorResponse'; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: 'allExtensionNumbersResponse'; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: 'errorResponse'; value: { errorCode: Code; errorMessage: string } }

/** Describes services and their messages to clients: gRPC server reflection, v1 and v1alpha. */
export function serveReflection(router: ConnectRouter, listed: readonly DescService[]): void {
  const answer = answers(listed)
  async function* serverReflectionInfo(requests: AsyncIterable<Asked>) {
    for await (const { host, messageRequest } of requests) {
      yield {
        validHost: host,
        originalRequest: { host, messageRequest: plain(messageRequest) },
        messageResponse: answer(messageRequest),
      }
    }
  }
  router.service(ServerReflection, { serverReflectionInfo })
  router.service(ServerReflectionAlpha, { serverReflectionInfo })
}

/** Answers questions about these services. */
function answers(services: readonly DescService[]): (asked: Asked['messageRequest']) => Answer {
  const files = closureOf(services.map(({ file }) => file))
  const byName = new Map([...files].map((file) => [file.proto.name, file]))
  const registry = createRegistry(...files)

  /** The file of a type, service or extension, or of a method, field or value of one. */
  function declaring(symbol: string): DescFile | undefined {
    const found = registry.get(symbol)
    if (found) return found.file
    const dot = symbol.lastIndexOf('.')
    const owner = registry.get(symbol.slice(0, Math.max(dot, 0)))
    const name = symbol.slice(dot + 1)
    if (owner?.kind === 'service') return owner.methods.some((method) => method.name === name) ? owner.file : undefined
    if (owner?.kind === 'message') return owner.members.some((member) => member.name === name) ? owner.file : undefined
    // the full name of an enum value has the scope of its enum, not the enum
    return [...registry].find(
      (type) =>
        type.kind === 'enum' && type.values.some((value) => `${scopeOf(type.typeName)}${value.name}` === symbol),
    )?.file
  }

  function extensionNumbers(typeName: string): Answer {
    if (!registry.getMessage(typeName)) return notFound(typeName)
    const extensionNumber = [...registry].flatMap((type) =>
      type.kind === 'extension' && type.extendee.typeName === typeName ? [type.number] : [],
    )
    return { case: 'allExtensionNumbersResponse', value: { baseTypeName: typeName, extensionNumber } }
  }

  return ({ case: asked, value }) => {
    switch (asked) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: services.map(({ typeName: name }) => ({ name })) } }
      case 'fileByFilename':
        return described(byName.get(value), value)
      case 'fileContainingSymbol':
        return described(declaring(value), value)
      case 'fileContainingExtension': {
        const extendee = registry.getMessage(value.containingType)
        const extension = extendee && registry.getExtensionFor(extendee, value.extensionNumber)
        return described(extension?.file, `${value.containingType}.${value.extensionNumber}`)
      }
      case 'allExtensionNumbersOfType':
        return extensionNumbers(value)
      case undefined:
        return {
          case: 'errorResponse',
          value: { errorCode: Code.InvalidArgument, errorMessage: 'The request has no question.' },
        }
    }
  }
}

const scopeOf = (typeName: string) => typeName.slice(0, typeName.lastIndexOf('.') + 1)

/** The file and all that it imports, the imported ones last. */
function described(file: DescFile | undefined, asked: string): Answer {
  if (!file) return notFound(asked)
  return {
    case: 'fileDescriptorResponse',
    value: {
      fileDescriptorProto: [...closureOf([file])].map(bytesOf),
    },
  }
}

/** Of files that were asked for: they never change, and anybody may ask for all of them. */
const written = new WeakMap<DescFile, Uint8Array>()

function bytesOf(file: DescFile): Uint8Array {
  const bytes = written.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto)
  written.set(file, bytes)
  return bytes
}

const notFound = (asked: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode: Code.NotFound, errorMessage: `There is no ${asked} here.` },
})

function closureOf(roots: readonly DescFile[], found = new Set<DescFile>()): Set<DescFile> {
  for (const file of roots) {
    if (found.has(file)) continue
    found.add(file)
    closureOf(file.dependencies, found)
  }
  return found
}

/** The question without the type name of its version. */
function plain(asked: Asked['messageRequest']) {
  if (asked.case !== 'fileContainingExtension') return asked
  const { containingType, extensionNumber } = asked.value
  return { case: asked.case, value: { containingType, extensionNumber } } as const
}
