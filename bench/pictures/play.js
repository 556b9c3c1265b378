// Times of frames while it plays, in ms, and whether it still does at the end.
([seconds, speed]) => new Promise((done) => {
  const set = (id, value, event) => {
    document.getElementById(id).value = String(value);
    document.getElementById(id).dispatchEvent(new Event(event, { bubbles: true }));
  };
  const times = [];
  const note = (time) => {
    times.push(time);
    if (time - times[0] < 1000 * seconds) requestAnimationFrame(note);
    else done({ times, playing: explorer.state.playing });
  };
  set("speed", speed, "change");
  const { run } = explorer.panes[0];
  const moved = (cycle) => run.firstOfCycle[cycle + 1] - run.firstOfCycle[cycle];
  const all = [...Array(run.cycles).keys()];
  const busiest = all.reduce((one, other) => (moved(other) > moved(one) ? other : one));
  const latest = run.cycles - Math.ceil(seconds * speed) - 2;
  set("scrub", Math.max(0, Math.min(busiest, latest)), "input");
  explorer.panes[0].pick("node", run.streams.receiver[0]);
  document.getElementById("play").click();
  requestAnimationFrame(note);
})
