using System.Collections.Generic;
using System.IO;

namespace GamesLrs
{
    /// <summary>The queues of a machine: a file for each owner, and further ones when several processes run at a time.</summary>
    static class QueueFolder
    {
        const int MostProcesses = 8;

        /// <summary>The first file of this name that no other process holds, with what those left that are gone.</summary>
        public static QueueFile Open(string folder, string name, out List<byte[]> left)
        {
            Directory.CreateDirectory(folder);
            left = new List<byte[]>();
            QueueFile own = null;
            for (var n = 1; n <= MostProcesses; n++)
            {
                var path = Path.Combine(folder, name + (n == 1 ? "" : "-" + n) + ".queue");
                if (own != null && !File.Exists(path) && !File.Exists(path + ".new")) continue;
                var held = QueueLock.Take(path + ".lock");
                if (held == null) continue;
                QueueFile.Recover(path);
                if (own == null) left = (own = new QueueFile(path, held)).Read();
                else using (held) Adopt(own, path, left);
            }
            if (own == null) throw new IOException("other processes hold all files of this queue");
            return own;
        }

        static void Adopt(QueueFile own, string other, List<byte[]> left)
        {
            long whole;
            var more = QueueFile.Read(other, out whole);
            var all = new List<byte[]>(left);
            all.AddRange(more);
            if (!own.TryRewrite(all)) return;
            left.AddRange(more);
            File.Delete(other);
        }
    }
}
