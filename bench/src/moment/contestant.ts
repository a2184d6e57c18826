/** A contestant as it runs in its own process. */
export interface Contestant {
  /** where signals reach it; null for one that is called */
  readonly taskQueue: string | null
  /** for one that is called: one turn, over once its durable record is committed */
  turn?(being: string, n: number, content: string): Promise<void>
  stop(): Promise<void>
}
