import { ends, type Step } from '../attempts.ts'

/** A step as an attempt keeps it. */
export interface OwnStep extends Step {
  readonly day: number
  readonly build: number
}

const size = 38
const flag = { true: 1, false: 2 } as const
const flagOf = (value: boolean | undefined) => (value === undefined ? 0 : value ? flag.true : flag.false)
const valueOf = (bits: number) => (bits === 0 ? undefined : bits === flag.true)
const noMillis = 0xffffffff
const tooLong = 0xfffffffe

/** 38 bytes for each step. */
export function packSteps(steps: readonly OwnStep[]): Buffer {
  const packed = Buffer.alloc(steps.length * size)
  for (const [n, step] of steps.entries()) {
    const at = n * size
    packed.writeDoubleLE(step.at, at)
    packed.writeDoubleLE(step.stored, at + 8)
    packed.writeDoubleLE(step.score ?? Number.NaN, at + 16)
    packed.writeUInt32LE(step.millis === undefined ? noMillis : (step.millis ?? tooLong), at + 24)
    packed.writeInt32LE(step.day, at + 28)
    packed.writeInt32LE(step.build, at + 32)
    packed.writeUInt8(step.mark, at + 36)
    packed.writeUInt8(flagOf(step.completed) | (flagOf(step.success) << 2), at + 37)
  }
  return packed
}

export function unpackSteps(packed: Buffer): OwnStep[] {
  const steps: OwnStep[] = []
  for (let at = 0; at < packed.length; at += size) {
    const score = packed.readDoubleLE(at + 16)
    const millis = packed.readUInt32LE(at + 24)
    const flags = packed.readUInt8(at + 37)
    steps.push({
      at: packed.readDoubleLE(at),
      stored: packed.readDoubleLE(at + 8),
      score: Number.isNaN(score) ? undefined : score,
      millis: millis === noMillis ? undefined : millis === tooLong ? null : millis,
      day: packed.readInt32LE(at + 28),
      build: packed.readInt32LE(at + 32),
      mark: packed.readUInt8(at + 36),
      completed: valueOf(flags & 3),
      success: valueOf(flags >> 2),
    })
  }
  return steps
}

/** Where a step is in the order of time; steps of one place are in the order of `stored`. */
export const positionOf = ({ at, mark }: Step): number => at * 2 + Number((mark & ends) !== 0)
