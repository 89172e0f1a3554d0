// Hostile contributors as a process of their own, for as long as its parent lives.
// Arguments: the port of a listener for RTMP, a key that it accepts, and the number of contributors.
import { attack, attacksWith, quietAttacksWith } from './attacks.ts';

const [port, hostileKey, count] = process.argv.slice(2) as [string, string, string];
const attacks = [...attacksWith(hostileKey), ...quietAttacksWith(hostileKey)];
for (let index = 0; index < Number(count); index++)
  attack(Number(port), attacks[index % attacks.length]!, `127.0.3.${1 + (index % 250)}`);
process.send!('attacking');
process.on('disconnect', () => process.exit());
