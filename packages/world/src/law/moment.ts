import {
  approvalOf,
  type BeingName,
  type Caller,
  type Cognition,
  correlationFor,
  type Decision,
  isChosen,
  isContinuation,
  type Json,
  type MomentId,
  newWake,
  type OtherRefusal,
  type OwedAnswer,
  owedIn,
  type PinnedStack,
  PRIORITIES,
  questionOf,
  type RoleName,
  type Wake,
  type WakeRecord,
} from '@treeos/core'
import type { Registry } from '../extend/registry.ts'
import type { ShadowVerdict } from '../gates/refusal.ts'
import type { WorldReader } from '../read/reader.ts'
import type { Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { ActInputs } from '../verbs/act-inputs.ts'
import { catalogsOf } from '../verbs/catalogs.ts'
import { effectResult } from './effect-result.ts'
import type { AskedQuestions } from './live.ts'

/** What the law reads of the open record of a moment. */
export interface OpenedMomentRecord {
  readonly moment: MomentId
  /** ms since 1970 UTC */
  readonly openedAt: number
  readonly wake: WakeRecord
  /** the wake that a person's reply answers, or that the being goes on from */
  readonly answers: string | null
  readonly caller: Caller | null
  /** the question that it is about, while that is neither answered nor let go; left out for none */
  readonly owed?: OwedAnswer
  /** whose answers the being has got of those that it asked for that; left out for nobody */
  readonly heard?: readonly BeingName[]
  /** of a moment that brings a yes: the word for the wake of the moment that asked; else left out */
  readonly asKind?: string
  readonly driver: BeingName | null
  readonly cognition: { readonly kind: Cognition }
  readonly asked: RoleName | null
  readonly outside?: true
  /** the being was ended */
  readonly ended?: true
}

/** What the being wore and could reach for as it decided. */
export interface WornSurface {
  readonly stack: PinnedStack
  readonly surface: Surface
  /** settings of the primary role for answers */
  readonly role: ActInputs['role']
}

/** A refusal that neither gate made. */
export interface BesideRefusal {
  readonly beside: OtherRefusal
  readonly code: string
  readonly message: string
}

/** A moment with what its mind decided: all that the law is asked about. */
export interface DecidedMoment {
  readonly being: BeingName
  readonly open: OpenedMomentRecord
  /** of the wake, as the being may hear it */
  readonly content: Json
  /** null: its flow gave no role, so it is skipped */
  readonly worn: WornSurface | null
  /** of a moment that is skipped: the reason, and what is said of it */
  readonly skip?: { readonly reason: string; readonly detail: string | null }
  /** null for one that is skipped */
  readonly decision: Decision | null
  /** a role of its stack whose code is not loaded here; left out for none */
  readonly missing?: RoleName | null
  /** what refused it beside the gates; left out where nothing did */
  readonly refused?: BesideRefusal
  /** its act asked the outside for something; left out where it did not */
  readonly hasEffect?: true
  /** handle of the overlay of its call, which the moments that go on from it get too; left out for none */
  readonly overlay?: string | null
}

/** What the law is asked over. */
export interface LawInputs {
  readonly reader: WorldReader
  readonly registry: Registry
  readonly asked: AskedQuestions
  /** sha256 of canonical JSON, in hex */
  readonly digest: (value: Json) => string
  /** collects where dry-run rules would have decided differently; null where they are not asked */
  readonly shadows: ShadowVerdict[] | null
}

/** What a call of a moment answers. What a person chose answers what it names, whatever the being owes. */
function answerDue(open: OpenedMomentRecord, wake: Wake): OwedAnswer | null {
  if (!isChosen(open)) return owedIn(open, wake.being)
  const { id, caller } = wake
  return caller === null || isContinuation(wake) ? null : { id, caller, hops: 0 } // each act begins a chain
}

/** What a call of a moment is decided from. */
export function actingOf(
  { open, worn }: Pick<DecidedMoment, 'open'> & { readonly worn: WornSurface },
  { reader, registry, asked, digest, shadows }: LawInputs,
  me: BeingRow,
  wake: Wake,
): ActInputs {
  const { questions } = asked
  const { stack, surface, role } = worn
  return {
    reader,
    registry,
    digest,
    moment: open.moment,
    openedAt: open.openedAt,
    me,
    caller: { name: me.name, role: stack.primary.name, cognition: open.cognition.kind },
    driver: open.driver,
    surface,
    wake,
    fromOutside: open.outside === true,
    hops: open.wake.kind === 'act' ? 0 : open.wake.hops,
    role,
    correlation: correlationFor(open.wake, open.moment),
    owed: answerDue(open, wake),
    heard: isChosen(open) ? [] : (open.heard ?? []),
    asker: () => questions.asker(wake),
    question: (id) => questions.entry(id),
    thread: (id) => questions.thread(id),
    outside: async (call) => effectResult(await questions.effect(), call),
    catalogs: async () => catalogsOf(registry, questions.catalogs()),
    onCode: (operation) => asked.noteCode(operation),
    ...(shadows === null ? {} : { shadows }),
    asking: isUnlived(open)
      ? null
      : {
          stack,
          wake: open.wake.id,
          root: open.wake.root,
          caller: open.caller,
          question: open.wake.kind === 'act' ? open.answers : questionOf(open.wake, open.answers),
          askedRole: open.asked,
          lease: open.driver === null ? null : { driver: open.driver, epoch: me.inhabited?.epoch ?? 0 },
          approval: approvalOf(open.wake),
        },
  }
}

/**
 * The id of every moment that is not lived: somebody looks as a being, or asks what it could do now. No call
 * of it can wait for a yes.
 */
export const UNLIVED = 'see'

const isUnlived = ({ moment }: OpenedMomentRecord): boolean => moment === UNLIVED

/** A being as it is now, with what it wears now. */
export interface UnlivedMoment {
  readonly being: BeingName
  readonly worn: WornSurface
  readonly driver: BeingName | null
  readonly cognition: Cognition
  /** ms since 1970 UTC; 0 where no time counts */
  readonly openedAt: number
}

/** Its moment, as the law is asked about it. It has no wake of anybody. */
export const unlivedMoment = ({ being, worn, driver, cognition, openedAt }: UnlivedMoment) => ({
  being,
  open: {
    moment: UNLIVED,
    openedAt,
    wake: newWake({ id: '', being, kind: 'event', priority: PRIORITIES.human, content: null }),
    answers: null,
    caller: null,
    driver,
    cognition: { kind: cognition },
    asked: null,
  },
  content: null,
  worn,
})
