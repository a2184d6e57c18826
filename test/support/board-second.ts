/** Worker processes load it by its path. */
import { fileURLToPath } from 'node:url'
import { secondBoard } from './board.ts'

export const SECOND_BOARD_PATH = fileURLToPath(import.meta.url)

export default secondBoard
