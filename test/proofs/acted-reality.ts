import { type Json, newWake, PRIORITIES, type VerbCall } from '@treeos/core'
import type { Extension } from '@treeos/world'
import { GeneratedReality } from './generated-reality.ts'
import { BEGINNING } from './generated-steps.ts'
import { manor } from './manor.ts'

/** A generated reality in which persons act: all of it is lived in memory. */
export class ActedReality {
  readonly at: GeneratedReality
  #acts = 0

  private constructor(name: string, extensions: readonly Extension[]) {
    this.at = new GeneratedReality(name, extensions)
  }

  static async begin(name: string, extensions: readonly Extension[] = [manor]): Promise<ActedReality> {
    const reality = new ActedReality(name, extensions)
    for (const call of BEGINNING) await reality.act(call)
    return reality
  }

  /** @returns how the act ended */
  async act(call: VerbCall, answers: string | null = null, person = 'operator'): Promise<string | undefined> {
    this.#acts += 1
    const wake = newWake({
      ...{ id: `act/${this.#acts}`, being: person, kind: 'act', priority: PRIORITIES.human },
      ...{ root: `${this.#acts}`, content: { answers, call: call as unknown as Json } },
    })
    return (await this.at.live(person, wake, call))?.outcome
  }
}
