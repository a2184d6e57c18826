import { TreeosError } from '@treeos/sdk'
import { buildRolePreamble, type Preamble } from './roles.ts'

/** What a child is told about itself. It is kept with the child, so a later change of a role's table changes no child. */
export interface Genesis {
  /** the genesis prompt of its parent; empty when that has none */
  readonly prompt: string
  readonly specialization: string | null
  readonly role: Preamble & { readonly name: string }
  readonly parent: { readonly name: string; readonly address: string }
}

/** Most characters of a genesis prompt. A longer parent prompt is cut at its end; the other blocks are whole. */
export const GENESIS_CHARS_MAX = 16_000
export const SPECIALIZATION_CHARS_MAX = 2000
export const MESSAGE_CHARS_MAX = 2000

/** The genesis prompt of a child: parent's prompt, specialization, role, lineage. A block that is absent leaves no gap. */
export function buildGenesisPrompt({ prompt, specialization, role, parent }: Genesis): string {
  const blocks = [
    specialization === null || specialization === ''
      ? ''
      : [
          '--- SPECIALIZATION ---',
          'You are a specialized child agent. Your specific focus:',
          specialization,
          '--- END SPECIALIZATION ---',
        ].join('\n'),
    buildRolePreamble(role.name, role),
    [
      '--- LINEAGE ---',
      `You were spawned by ${parent.name} (${parent.address}).`,
      'You inherit their mission but have your own identity and wallet.',
      '--- END LINEAGE ---',
    ].join('\n'),
  ].filter((block) => block !== '')
  const own = blocks.join('\n\n')
  const room = Math.max(0, GENESIS_CHARS_MAX - own.length - 2)
  const first = prompt.slice(0, room)
  return first === '' ? own : `${first}\n\n${own}`
}

/** Text that imitates a block of a genesis prompt or gives itself out as an instruction. */
const INJECTIONS: readonly (readonly [RegExp, string])[] = [
  [/-{2,} ?((BEGIN|END) )?(SPECIALIZATION|ROLE|LINEAGE|TASK)\b/i, 'a block of a genesis prompt'],
  [/< ?\/? ?(specialization|role|lineage|task|genesis)\b/i, 'a block of a genesis prompt'],
  [/\bsystem ?:/i, 'a system message'],
  [/\byou are now\b/i, 'an instruction'],
  [/\bignore (all |any |the )*previous\b/i, 'an instruction'],
]

/** Hides neither dashes of other kinds, nor letters of other widths, nor characters that show nothing. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/gu, ' ')

/** @throws {TreeosError} INVALID_INPUT naming the field and what its text imitates */
export function requireHarmless(field: string, text: string): void {
  const found = INJECTIONS.find(([pattern]) => pattern.test(plain(text)))
  if (found === undefined) return
  throw new TreeosError('INVALID_INPUT', `${field} imitates ${found[1]}: say it in other words`)
}
