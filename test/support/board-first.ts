/** Worker processes load it by its path. */
import { fileURLToPath } from 'node:url'
import { firstBoard } from './board.ts'

export const FIRST_BOARD_PATH = fileURLToPath(import.meta.url)

export default firstBoard
