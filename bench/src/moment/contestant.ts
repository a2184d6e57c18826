/** A contestant within its process. */
export interface Contestant {
  /** task queue of its signals; null when its turns are called */
  readonly taskQueue: string | null
  /**
   * runs one turn; resolves once its durable record is committed. Only for contestants whose turns are called
   */
  turn?(being: string, n: number, content: string): Promise<void>
  stop(): Promise<void>
}
