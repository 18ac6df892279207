// A test run that is killed leaves nothing behind: the channel to it closes, and its processes end.
process.on('disconnect', () => process.exit(1));
