import { at, type Json } from '../canonical.ts'
import { faultOfEffectCall } from '../effect-call.ts'
import { faultOfEffectKey, type KnownCauses } from '../effect-key.ts'
import type { Heads } from '../heads.ts'
import type { Moment } from '../moment.ts'
import { faultOfOrientation } from '../orientation.ts'
import { faultOfUnasked } from './brought-yes.ts'
import { Lives } from './lives.ts'
import { Questions } from './questions.ts'
import { QueuedReads } from './queued-reads.ts'
import { Speech } from './speech.ts'
import { Steps } from './steps.ts'

/** A moment of a bundle, whose chain and parts were read. */
export interface CheckedMoment {
  readonly moment: Moment
  readonly noted: Json
  readonly being: string
  readonly heads: Heads | null
  /** the spec of its primary role; null where the bundle does not hold it */
  readonly role: Json
  readonly isKnown: boolean
  /** its law is known, and its parts have their forms and digests */
  readonly isFormed: boolean
}

/** What the facts and moments before a moment say that it has to agree with. */
export class KnownMoments {
  readonly lives = new Lives()
  readonly speech = new Speech()
  readonly questions = new Questions()
  readonly steps = new Steps()
  readonly reads = new QueuedReads()
  readonly isWhole: (reel: string) => boolean

  constructor(isWhole: (reel: string) => boolean) {
    this.isWhole = isWhole
  }
}

/** What else of a bundle the checks of a moment ask for. */
export interface Surroundings {
  reality(): string
  readonly causes: KnownCauses
  readonly contentOf: (digest: string) => Json | undefined
}

export interface MomentCheck {
  readonly reason: string
  /** of which moments it is asked */
  readonly asks: 'isKnown' | 'isFormed' | 'being'
  /** in words; null where nothing is wrong */
  fault(of: CheckedMoment, known: KnownMoments, around: Surroundings): string | null
}

const manifestOf = ({ moment: { record, open } }: CheckedMoment, { contentOf }: Surroundings) =>
  contentOf(String(record.code ?? at(open, 'code')))

/** Before the facts that a moment wrote are read, in this order. */
export const FIRST_CHECKS: readonly MomentCheck[] = [
  {
    reason: 'record-mismatch',
    asks: 'being',
    fault: ({ moment }, { lives }) => lives.take(moment.record),
  },
  {
    reason: 'effect-mismatch',
    asks: 'isFormed',
    fault: ({ moment }, _known, { reality, causes }) => faultOfEffectKey(moment, reality(), causes),
  },
  {
    reason: 'effect-mismatch',
    asks: 'isFormed',
    fault: (of, _known, around) => faultOfEffectCall(of.moment, manifestOf(of, around)),
  },
  {
    reason: 'law-mismatch',
    asks: 'isFormed',
    fault: (of, _known, around) => faultOfUnasked(of.moment, manifestOf(of, around)),
  },
  {
    reason: 'context-mismatch',
    asks: 'isFormed',
    fault: ({ moment, being }, { speech }) => speech.faultOfWake(moment.open, being),
  },
]

/** After them. */
export const LAST_CHECKS: readonly MomentCheck[] = [
  {
    reason: 'context-mismatch',
    asks: 'isFormed',
    fault({ moment, being, heads }, { questions }) {
      const [, read = 0] = heads?.basis.find(([reel]) => reel === `being:${being}`) ?? []
      return questions.takeMoment(moment.open, being, Number(read))
    },
  },
  {
    reason: 'context-mismatch',
    asks: 'isKnown',
    fault: ({ moment, role }, { steps }) => steps.take(moment, moment.record.stack === null ? null : role),
  },
  {
    reason: 'context-mismatch',
    asks: 'isKnown',
    fault: ({ moment }, { reads, isWhole }) => reads.take(moment, isWhole('space:/')),
  },
  {
    reason: 'context-mismatch',
    asks: 'isKnown',
    fault: ({ moment: { record, open }, role }) =>
      record.stack === null ? null : faultOfOrientation(open, role),
  },
]
