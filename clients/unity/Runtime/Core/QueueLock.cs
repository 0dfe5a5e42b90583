using System;
using System.Collections.Generic;
using System.IO;

namespace GamesLrs
{
    /// <summary>One process holds a queue, as long as it lives.</summary>
    sealed class QueueLock : IDisposable
    {
        /// <summary>Of this process: a lock of Linux does not keep out its own process.</summary>
        static readonly HashSet<string> own = new HashSet<string>();
        readonly string path;
        readonly FileStream file;

        QueueLock(string path, FileStream file)
        {
            this.path = path;
            this.file = file;
        }

        /// <summary>Null: it is held.</summary>
        public static QueueLock Take(string path)
        {
            lock (own) if (!own.Add(path)) return null;
            FileStream file = null;
            try
            {
                file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
                // Mono's FileShare counts in one process only
                try { file.Lock(0, 1); }
                catch (Exception error) when (!(error is IOException)) { } // macOS has none: FileShare does it there
                return new QueueLock(path, file);
            }
            catch (Exception error)
            {
                if (file != null) file.Dispose();
                lock (own) own.Remove(path);
                if (error is IOException) return null;
                throw;
            }
        }

        public void Dispose()
        {
            file.Dispose();
            lock (own) own.Remove(path);
        }
    }
}
