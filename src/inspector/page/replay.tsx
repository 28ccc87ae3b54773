import { useEffect, useState } from 'preact/hooks';
import type { Summary } from './wire.ts';
import { clock } from './words.ts';

const speeds = [1, 4, 16, 64] as const;
/** Nobody waits for a pause that was longer. */
const LONGEST_WAIT_MS = 2_000;

interface ReplayProps {
  readonly requests: readonly Summary[];
  /** How many of them are shown. */
  readonly cursor: number;
  readonly onMove: (cursor: number) => void;
}

/** Goes through a session as it came: a slider over its requests, and a button that moves it by the recorded clock. */
export const Replay = ({ requests, cursor, onMove }: ReplayProps) => {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const isAtEnd = cursor >= requests.length;
  useEffect(() => {
    if (!isPlaying) return;
    const [now, next] = [requests[cursor - 1], requests[cursor]];
    if (next === undefined) {
      setPlaying(false);
      return;
    }
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(0, next.at - (now?.at ?? next.at)) / speed);
    const timer = setTimeout(() => onMove(cursor + 1), wait);
    return () => clearTimeout(timer);
  }, [isPlaying, cursor, requests, speed, onMove]);
  return (
    <fieldset class="replay" aria-label="Replay">
      <button
        type="button"
        onClick={() => {
          if (isAtEnd) onMove(0);
          setPlaying(!isPlaying);
        }}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <input
        type="range"
        min={0}
        max={requests.length}
        value={cursor}
        aria-label="Requests shown"
        aria-valuetext={`${cursor} of ${requests.length}`}
        onInput={({ currentTarget }) => onMove(Number(currentTarget.value))}
      />
      <span class="at">
        {clock(requests[cursor - 1]?.at ?? 0)} <small>{`${cursor} of ${requests.length}`}</small>
      </span>
      <label class="speed">
        <span>speed</span>
        <select value={speed} onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}>
          {speeds.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
};
