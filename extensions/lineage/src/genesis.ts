import { TreeosError } from '@treeos/sdk'
import { buildRolePreamble, type Preamble } from './roles.ts'

/**
 * What a child is told about itself. It is kept with the child, so a later change of a role's table changes
 * no child.
 */
export interface Genesis {
  /** the genesis prompt of its parent; empty when that has none */
  readonly prompt: string
  readonly specialization: string | null
  readonly role: Preamble & { readonly name: string }
  readonly parent: { readonly name: string; readonly address: string }
}

/**
 * Most characters of a genesis prompt. A longer parent prompt is cut at its end; the other blocks are whole.
 */
export const GENESIS_CHARS_MAX = 16_000
/**
 * Of the first part, as a row holds it. A child keeps its profile, its task and its last result in one row of
 * at most 64 KiB, and its parent must always find room to write there.
 */
export const GENESIS_BYTES_MAX = 24 * 1024
export const SPECIALIZATION_CHARS_MAX = 2000
export const MESSAGE_CHARS_MAX = 2000

/**
 * The genesis prompt of a child: parent's prompt, specialization, role, lineage. A block that is absent
 * leaves no gap.
 */
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
  [/(- ?){2,}((BEGIN|END) )?(SPECIALIZATION|ROLE|LINEAGE|TASK)\b/i, 'a block of a genesis prompt'],
  [/< ?\/? ?(specialization|role|lineage|task|genesis)\b/i, 'a block of a genesis prompt'],
  [/\bsystem ?:/i, 'a system message'],
  [/< ?\|[a-z -]*\||\[ ?\/? ?INST ?\]/i, 'a message of a conversation'],
  [/\byou are now\b/i, 'an instruction'],
  [/\bignore (all |any |the )*previous\b/i, 'an instruction'],
]

/** Cyrillic and Greek letters that look like one of ours, above the one that each looks like. */
const STRANGE = 'аеорсухіјѕһԁԛԝӏνορυακτιεηАВЕКМНОРСТУХІЈЅӀԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧı'
const OURS = 'aeopcyxijshdqwlvopuaktienABEKMHOPCTYXIJSIGABEZHIKMNOPTYXi'
const LOOKALIKES = new Map([...STRANGE].map((letter, i) => [letter, OURS[i] ?? letter]))

/**
 * A text as it looks: without characters that show nothing and marks on letters, with dashes of one kind,
 * letters of one width, and ours in place of those that look like them.
 */
const plainBlock = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{Dash}\u00af\u02c9\u203e\u2500\u2501\u30fc_=~]/gu, '-')
    .replace(/[\s\u2800]+/gu, ' ')
    .replace(/\P{ASCII}/gu, (letter) => LOOKALIKES.get(letter) ?? letter)

/** @throws {TreeosError} INVALID_INPUT naming the field and what its text imitates */
export function requireHarmless(field: string, text: string): void {
  const found = INJECTIONS.find(([pattern]) => pattern.test(plainBlock(text)))
  if (found === undefined) return
  throw new TreeosError('INVALID_INPUT', `${field} imitates ${found[1]}: say it in other words`)
}
